import type { AddAffiliate } from '@tributary/contract/dashboard'
import type { Services } from '../../db/services.ts'
import { enrolAffiliate } from '../affiliates/enrol-affiliate.ts'
import { withTokenFromName } from '../affiliates/name-token.ts'
import { approveAffiliate } from '../affiliates/review-affiliate.ts'
import { inviteAffiliate } from './invite-affiliate.ts'

/**
 * Adds an affiliate that a user of the dashboard knows: approved and invited if wanted, with a token made from the name. All or
 * nothing: if the invitation can't be sent, nothing is added. An existing affiliate is only enrolled.
 */
export function addAffiliate(
  services: Services,
  accountId: number,
  { approve = false, invite = false, ...request }: AddAffiliate,
): Promise<{ id: number; created: boolean; invited: boolean }> {
  return services.db.transaction(async tx => {
    const enrolAs = (token: string | undefined) =>
      enrolAffiliate(tx, accountId, { ...request, ...(token !== undefined && { token }) })
    const { created, affiliate } = await (request.token === undefined
      ? withTokenFromName(tx, accountId, request.name ?? '', enrolAs)
      : enrolAs(request.token))
    const { id } = affiliate
    if (!created) return { id, created, invited: false }
    // Without the email about an approval: they never applied, and the invitation says what they need to know.
    if (approve) await approveAffiliate(tx, accountId, id, { isQuiet: true })
    if (invite) await inviteAffiliate({ ...services, db: tx }, accountId, id)
    return { id, created, invited: invite }
  })
}
