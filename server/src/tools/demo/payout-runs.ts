import { DomainError } from '../../kit/domain-error.ts'
import { createPayout } from '../../money/payouts/create-payout.ts'
import { markPayments } from '../../money/payouts/mark-payments.ts'
import { daysFrom, TODAY } from './calendar.ts'
import type { CampaignName } from './campaign-name.ts'
import { itemsOf } from './demo.store.ts'
import { byPerson, type Step, type Story, sendMail } from './story.ts'

/** How a payout ends: paid, with failed payments, or still in progress. */
type Ending = 'paid' | 'failed items' | 'in progress'

interface Run {
  campaign: CampaignName
  day: number
  ending: Ending
}

const MONTH_DAYS = 30
const DAYS_UNTIL_PAID = 2
const REASONS = ['The PayPal address does not accept payments.', 'The bank account is closed.']

/** Affiliates are paid monthly from the second month on; agencies quarterly, customers twice a year. */
const runs: Run[] = [
  ...daysFrom(0, 10).map((month): Run => {
    const day = TODAY - 4 - (10 - month) * MONTH_DAYS
    return { campaign: 'affiliates', day, ending: month === 10 ? 'in progress' : 'paid' }
  }),
  { campaign: 'agencies', day: 150, ending: 'paid' },
  { campaign: 'agencies', day: 240, ending: 'paid' },
  { campaign: 'agencies', day: TODAY - 12, ending: 'failed items' },
  { campaign: 'friends', day: 200, ending: 'paid' },
]

async function create(story: Story, { campaign, day }: Run): Promise<number | undefined> {
  const at = story.calendar.at(day, 0.4)
  const campaignId = story.campaigns[campaign]
  const details = { campaign_id: campaignId, rail: 'manual' }
  try {
    const { id } = await byPerson(story, 'finance', at, { action: 'payout.create', details }, tx =>
      createPayout(tx, story.accountId, { campaignId, rail: 'manual' }),
    )
    story.past.payouts.push({ id, at })
    return id
  } catch (error) {
    // A small account has months with nothing to pay; the error comes before anything is written.
    if (error instanceof DomainError && error.code === 'invalid_state') return undefined
    throw error
  }
}

async function settle(story: Story, id: number, { ending, campaign }: Run, at: string): Promise<void> {
  const { accountId } = story
  const items = await itemsOf(story.tx, accountId, id)
  const decide = (outcome: 'paid' | 'failed', ids: number[], reason: string | null) =>
    byPerson(
      story,
      'finance',
      at,
      {
        action: outcome === 'paid' ? 'payout.pay' : 'payout.fail',
        subjectId: id,
        details: { ...(ids.length < items.length && { item_ids: ids }), ...(reason && { reason }) },
      },
      tx => markPayments(tx, accountId, id, { outcome, reason, reference: null }, ids).then(() => undefined),
    )
  const failing = ending === 'failed items' ? items.slice(0, Math.max(1, Math.ceil(items.length / 8))) : []
  for (const [index, item] of failing.entries())
    await decide('failed', [item.id], REASONS[index % REASONS.length] as string)
  const paid = items.slice(
    failing.length,
    ending === 'in progress' ? Math.min(Math.ceil(items.length / 3), items.length - 1) : undefined,
  )
  if (paid.length > 0)
    await decide(
      'paid',
      paid.map(item => item.id),
      null,
    )
  story.past.settlements.push({ id, at })
  if (campaign === 'affiliates' && story.calendar.dayOf(at) > TODAY - MONTH_DAYS - DAYS_UNTIL_PAID - 4)
    for (const { email } of paid)
      await sendMail(story, at, email, {
        kind: 'payout_paid',
        subject: 'Your payout is on its way',
        lines: ['We sent your payout. It should arrive within a few days.'],
      })
}

/** Finance creates each payout and settles it two days later. */
export const payoutSteps = (story: Story): Step[] =>
  runs.flatMap(run => {
    let id: number | undefined
    const settledAt = story.calendar.at(run.day + DAYS_UNTIL_PAID, 0.45)
    return [
      {
        at: story.calendar.at(run.day, 0.4),
        run: async () => {
          id = await create(story, run)
        },
      },
      {
        at: settledAt,
        run: async () => {
          if (id !== undefined) await settle(story, id, run, settledAt)
        },
      },
    ]
  })
