import { currentTime } from '../../db/current-time.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Services } from '../../db/services.ts'
import { findSignalsOf } from '../../insight/signals/find-signals.ts'
import { stageHistory, writeHistory } from '../../money/ledger/history.ts'
import { updateAccount } from '../../programme/accounts/update-account.ts'
import { createApiKey } from '../../programme/api-keys/create-api-key.ts'
import { stageAuditHistory, writeAuditHistory } from '../../programme/audit/audit-history.store.ts'
import { adjustmentStep, customerSteps, recordClicks, releaseHoldsUntil } from './business.ts'
import { Calendar, daysFrom, partOfDay, TODAY } from './calendar.ts'
import { addCreatives } from './creatives.ts'
import { keepDemoMails, noteGrowth, type Totals, totalsOf } from './demo.store.ts'
import { storeRates } from './exchange-rates.ts'
import { openAccount } from './open-account.ts'
import { moveToThePast } from './past.store.ts'
import { Past } from './past.ts'
import { payoutSteps } from './payout-runs.ts'
import { type PlannedAffiliate, planAffiliates } from './plan-affiliates.ts'
import { type PlannedClick, planClicks } from './plan-clicks.ts'
import { CustomerPlanner, type PlannedCustomer } from './plan-customers.ts'
import { openCampaigns } from './programme.ts'
import { Random } from './random.ts'
import { rosterSteps } from './roster.ts'
import { byPerson, type Step, type Story } from './story.ts'
import { burst, withSharedAddress } from './suspects.ts'
import { recordDeliveries, webhookSteps } from './webhooks.ts'

export interface DemoOptions {
  accountName: string
  seed: number
  /** 1 is a few hundred affiliates with a year of data. */
  scale: number
}

export interface Demo {
  accountId: number
  slug: string
  totals: Totals
}

/** Days after which statistics are refreshed: the tables start empty, so query plans go stale. */
const GROWTH_NOTED_ON = [20, 60, 120, 240]

/**
 * Generates a year of data day by day, through the same use cases as the service, and then backdates every row. One transaction: no
 * partial state is visible, no background work interferes, and a failure leaves nothing. Needs a connection as the owner of the tables.
 */
export function fillDemo(owner: Db, services: Services, options: DemoOptions): Promise<Demo> {
  return owner.transaction(async outer => {
    const tx = withoutSavepoints(outer)
    await stageHistory(tx)
    await stageAuditHistory(tx)
    const now = await currentTime(tx)
    const calendar = new Calendar(now)
    const random = new Random(options.seed)
    const hasRates = await storeRates(tx, calendar)
    const { accountId, slug, team } = await openAccount(tx, options.accountName, services.baseUrl)
    const campaigns = {} as Story['campaigns']
    const affiliates = new Map<PlannedAffiliate, number>()
    const past = new Past()
    const story: Story = { tx, accountId, services, calendar, random, campaigns, team, affiliates, past }
    if (hasRates) await updateAccount(tx, accountId, { reporting_currency: 'USD' })
    await openCampaigns(story)
    await addCreatives(story)
    await run(story, plan(story, options.scale))
    await releaseHoldsUntil(story, now)
    await writeHistory(tx, accountId, () => moveToThePast(tx, accountId, past, calendar.at(0, 0)))
    await writeAuditHistory(tx, accountId)
    await recordDeliveries(story, now)
    await keepDemoMails(tx, accountId, [])
    await findSignalsOf(tx, accountId)
    return { accountId, slug, totals: await totalsOf(tx, accountId) }
  })
}

/** Any failure aborts the whole demo, so nested transactions need no savepoints: a third fewer round trips. */
function withoutSavepoints(tx: Tx): Tx {
  const flat: Tx = {
    inTransaction: true,
    many: statement => tx.many(statement),
    first: statement => tx.first(statement),
    inOrder: tx.inOrder.bind(tx),
    readItem: (read, accountId, item) => tx.readItem(read, accountId, item),
    send: statement => tx.send(statement),
    sendRows: (write, accountId, rows) => tx.sendRows(write, accountId, rows),
    sendAndNotify: (statement, channel) => tx.sendAndNotify(statement, channel),
    // Each step is moved into the past right after it.
    atEnd: (write, items) => write(tx, items),
    stream: statement => tx.stream(statement),
    transaction: work => work(flat),
  }
  return flat
}

/** The keys themselves are discarded: create one to call the API of the demo. */
const keySteps = (story: Story): Step[] =>
  ['Backend (old)', 'Backend', 'Reporting'].map((name, index) => {
    const at = story.calendar.at(index * 120, 0.3)
    const change = { action: 'api_key.create', details: { name } }
    const create = async (tx: Tx) => ({ id: (await createApiKey(tx, story.accountId, name)).id })
    return { at, run: () => byPerson(story, 'owner', at, change, create).then(() => undefined) }
  })

interface Plan {
  steps: Step[]
  clicks: PlannedClick[]
}

const some = <T>(count: number, make: (index: number) => T | undefined): T[] =>
  Array.from({ length: count }, (_, index) => make(index)).filter(made => made !== undefined)

/** A few recent conversions not yet reviewed, and some older ones. */
const suspiciousDay = (index: number) => (index < 5 ? TODAY - 1 - index : TODAY - 20 * (index - 3))

/** Plans all events. Pure: no database access, and all randomness comes from the seed. */
function plan(story: Story, scale: number): Plan {
  const { random, calendar } = story
  const scaled = (count: number, least: number) => Math.max(least, Math.round(count * scale))
  const affiliates = withSharedAddress(planAffiliates(random, calendar, scaled(300, 16)))
  const planner = new CustomerPlanner(random, calendar, affiliates)
  const customers: PlannedCustomer[] = [
    ...some(scaled(780, 40), () => planner.referred()),
    ...some(scaled(14, 7), index => planner.suspicious(suspiciousDay(index))),
    ...some(scaled(30, 3), () => planner.unattributed()),
    ...some(scaled(9, 2), () => planner.unattributed(random.whole(TODAY - 25, TODAY - 1))),
    ...some(3, index => planner.test(TODAY - 40 - index)),
  ]
  const clicks = [
    ...planClicks(random, calendar, affiliates, Math.round(40_000 * scale)),
    ...customers.flatMap(({ evidence }) => (evidence.click ? [evidence.click] : [])),
  ]
  const steps = [
    ...keySteps(story),
    ...rosterSteps(story, affiliates),
    ...customers.flatMap(customer => customerSteps(story, customer)),
    ...some(scaled(12, 2), index => adjustment(story, affiliates, index)),
    ...payoutSteps(story),
    ...webhookSteps(story),
  ]
  return {
    steps: steps.filter(({ at }) => calendar.dayOf(at) <= TODAY),
    clicks: [...clicks, ...burst(random, calendar, affiliates)],
  }
}

function adjustment(story: Story, affiliates: PlannedAffiliate[], index: number): Step | undefined {
  const { random, calendar } = story
  const at = calendar.at(random.whole(40, TODAY - 1), partOfDay(random))
  const known = affiliates.filter(({ decision }) => decision?.status === 'approved' && decision.at < at)
  return known.length === 0
    ? undefined
    : adjustmentStep(
        story,
        random.weighted(known, ({ weight }) => weight),
        at,
        index,
      )
}

function byDay<T extends { at: string }>(calendar: Calendar, items: T[]): Map<number, T[]> {
  const days = new Map<number, T[]>()
  for (const item of items.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))) {
    const day = calendar.dayOf(item.at)
    const known = days.get(day)
    if (known) known.push(item)
    else days.set(day, [item])
  }
  return days
}

/** Runs all steps in chronological order, so that ids are assigned as if it had taken a year. */
async function run(story: Story, { steps, clicks }: Plan): Promise<void> {
  const { calendar } = story
  const stepsOf = byDay(calendar, steps)
  const clicksOf = byDay(calendar, clicks)
  for (const day of daysFrom(0)) {
    await releaseHoldsUntil(story, calendar.at(day, 0))
    for (const { run } of stepsOf.get(day) ?? []) await run()
    await recordClicks(story, clicksOf.get(day) ?? [])
    if (GROWTH_NOTED_ON.includes(day)) await noteGrowth(story.tx)
  }
}
