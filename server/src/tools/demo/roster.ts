import { enrolAffiliate } from '../../programme/affiliates/enrol-affiliate.ts'
import { updateAffiliate } from '../../programme/affiliates/update-affiliate.ts'
import { TODAY } from './calendar.ts'
import type { PlannedAffiliate } from './plan-affiliates.ts'
import { byPerson, type Step, type Story, sendMail } from './story.ts'

/** Emails are kept for a limited time; only those of the last weeks are written. */
const MAIL_DAYS = 45

async function join(story: Story, affiliate: PlannedAffiliate): Promise<void> {
  const { tx, accountId, campaigns, past } = story
  let id = 0
  for (const name of affiliate.campaigns) {
    const enrolled = await enrolAffiliate(tx, accountId, {
      campaign_id: campaigns[name],
      email: affiliate.email,
      name: affiliate.name,
      kind: affiliate.kind,
      token: affiliate.token,
      tags: affiliate.tags,
      ...(affiliate.couponCode !== undefined && { coupon_code: affiliate.couponCode }),
      ...(affiliate.paypalEmail !== undefined && { paypal_email: affiliate.paypalEmail }),
    })
    id = enrolled.affiliate.id
  }
  story.affiliates.set(affiliate, id)
  past.affiliates.push({ id, at: affiliate.joinsAt })
}

async function decide(
  story: Story,
  affiliate: PlannedAffiliate,
  status: 'approved' | 'rejected',
  at: string,
) {
  const { accountId, past, calendar } = story
  const id = story.affiliates.get(affiliate) as number
  const change = { action: 'affiliate.review', subjectId: id, details: { ids: [id], status } }
  await byPerson(story, 'admin', at, change, tx => updateAffiliate(tx, accountId, id, { status }))
  if (status === 'rejected') return
  past.approvals.push({ id, at })
  if (calendar.dayOf(at) < TODAY - MAIL_DAYS) return
  await sendMail(story, at, affiliate.email, {
    kind: 'affiliate_approved',
    subject: 'You are approved: welcome to the Meridian programme',
    lines: [`Hello ${affiliate.name},`, 'your application is approved. Your link works from now on.'],
  })
}

/** Affiliates apply, and most applications are decided. */
export const rosterSteps = (story: Story, affiliates: PlannedAffiliate[]): Step[] =>
  affiliates.flatMap(affiliate => {
    const { joinsAt, decision } = affiliate
    const joins = { at: joinsAt, run: () => join(story, affiliate) }
    if (!decision) return [joins]
    return [joins, { at: decision.at, run: () => decide(story, affiliate, decision.status, decision.at) }]
  })
