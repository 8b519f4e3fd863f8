import { notFound } from '../../kit/domain-error.ts'
import { listFile } from '../../kit/list-file.ts'
import { listApiKeys, revokeApiKey } from '../../programme/api-keys/api-key.store.ts'
import { createApiKey } from '../../programme/api-keys/create-api-key.ts'
import type { DashboardHandlers } from '../call.ts'

export const apiKeyDashboard: DashboardHandlers<
  'listApiKeys' | 'exportApiKeys' | 'createApiKey' | 'revokeApiKey'
> = {
  listApiKeys: async ({ db, accountId }) => ({ data: await listApiKeys(db, accountId) }),
  exportApiKeys: async ({ db, accountId }) =>
    listFile(
      'api-keys.csv',
      ['id', 'name', 'last_four', 'created_by', 'created_at', 'last_used_at', 'revoked_at'],
      async () => ({ data: await listApiKeys(db, accountId) }),
    ),
  createApiKey: ({ db, accountId, body }) => createApiKey(db, accountId, body.name),
  revokeApiKey: async ({ db, accountId, id, note }) => {
    const revoked = await revokeApiKey(db, accountId, id)
    if (!revoked) throw notFound('API key')
    note({ name: revoked.name, last_four: revoked.last_four })
    return {}
  },
}
