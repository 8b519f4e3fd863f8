import { mintMagicLink } from '../programme/magic-links/mint-magic-link.ts'
import type { Handler } from './call.ts'

export const create: Handler<'createMagicLink'> = async ({ accountId, id, ...services }) => ({
  status: 200,
  body: await mintMagicLink(services, accountId, id),
})
