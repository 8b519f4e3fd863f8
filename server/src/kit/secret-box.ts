import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** What a sealed text is for. A box opens only for the purpose and the account that it was sealed for. */
export type Purpose =
  | 'webhook secret'
  | 'idempotent answer'
  | 'visitor address'
  | 'rail credentials'
  | 'backup'
  | 'known browser'
  | 'join link'

/** Encrypts what must be readable again (AES-256-GCM), with a key of its own for each purpose. */
export class SecretBox {
  readonly #masterKey: string
  readonly #keys = new Map<Purpose, Buffer>()

  constructor(masterKey: string) {
    this.#masterKey = masterKey
  }

  seal(purpose: Purpose, accountId: number, text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.key(purpose), nonce).setAAD(bind(purpose, accountId))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed])
  }

  open(purpose: Purpose, accountId: number, box: Buffer): string {
    if (box[0] !== VERSION) throw new Error(`A sealed text has the unknown version ${box[0]}.`)
    const nonce = box.subarray(1, 1 + NONCE_BYTES)
    const tag = box.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', this.key(purpose), nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(bind(purpose, accountId)).setAuthTag(tag)
    return (
      decipher.update(box.subarray(1 + NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    )
  }

  /** A value that tells whether two processes hold the same key, and tells nothing of the key. */
  check(): Buffer {
    return createHmac('sha256', this.#masterKey).update('tributary secret key check').digest()
  }

  /** The key of a purpose, for what is hashed and not sealed. */
  key(purpose: Purpose): Buffer {
    const known = this.#keys.get(purpose)
    if (known) return known
    const key = Buffer.from(hkdfSync('sha256', this.#masterKey, 'tributary', purpose, 32))
    this.#keys.set(purpose, key)
    return key
  }
}

const bind = (purpose: Purpose, accountId: number) => Buffer.from(`${purpose}:${accountId}`)
