import { hasBillingEvents } from '../../connectors/connector-event.store.ts'
import {
  findFirstSteps,
  findLastConversion,
  findSampleConversion,
} from '../../earning/overview/first-steps.store.ts'
import { dismissChecklist, isChecklistDismissed } from '../../programme/accounts/checklist.store.ts'
import { portalOfAccount } from '../../programme/portal-settings/portal.store.ts'
import { scriptAddress } from '../../programme/portal-settings/portal-address.ts'
import type { DashboardHandlers } from '../call.ts'

export const checklistDashboard: DashboardHandlers<'getChecklist' | 'dismissChecklist'> = {
  getChecklist: async ({ db, baseUrl, accountId }) => {
    const [isDismissed, steps, billing, sample, received, portal] = await Promise.all([
      isChecklistDismissed(db, accountId),
      findFirstSteps(db, accountId),
      hasBillingEvents(db, accountId),
      findSampleConversion(db, accountId),
      findLastConversion(db, accountId),
      portalOfAccount(db, accountId),
    ])
    return {
      is_shown: isDismissed === null ? !steps.conversion : !isDismissed,
      done: { ...steps, billing },
      script_url: scriptAddress(baseUrl, portal),
      sample: sample ?? null,
      received: received ?? null,
    }
  },
  dismissChecklist: ({ db, accountId }) =>
    db.transaction(async tx => {
      await dismissChecklist(tx, accountId)
      return {}
    }),
}
