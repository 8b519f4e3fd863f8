import type { Handler } from '../kit/endpoint.ts'
import { mintMagicLink } from './mint-magic-link.ts'

export const create: Handler<'createMagicLink'> = async ({ accountId, id, ...services }) => ({
  status: 200,
  body: await mintMagicLink(services, accountId, id),
})
