import { credentialsChangedAt } from '../../money/payouts/rail-credentials.store.ts'
import { payPalCredentials, setPayPalCredentials } from '../../money/payouts/rail-credentials.ts'
import type { DashboardHandlers } from '../call.ts'

export const railDashboard: DashboardHandlers<'getRails' | 'setPayPalCredentials'> = {
  getRails: async ({ db, secrets, accountId }) => {
    const credentials = await payPalCredentials(db, secrets, accountId)
    const updated_at = await credentialsChangedAt(db, accountId, 'paypal')
    if (!credentials || updated_at === undefined) return { paypal: null }
    return { paypal: { client_id: credentials.clientId, updated_at } }
  },
  setPayPalCredentials: async ({ db, secrets, accountId, body }) => {
    await setPayPalCredentials(db, secrets, accountId, {
      clientId: body.client_id,
      clientSecret: body.client_secret,
    })
    return {}
  },
}
