/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Loaded with the first password: most commands see none. */
export const argon2 = () => import('@node-rs/argon2')

export const hashPassword = async (password: string) => (await argon2()).hash(password, cost)
export const verifyPassword = async (hashed: string, password: string) =>
  (await argon2()).verify(hashed, password)
