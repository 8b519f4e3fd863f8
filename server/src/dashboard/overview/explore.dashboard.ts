import type { DashboardQuery, Exploration } from '@tributary/contract/dashboard'
import { cohorts } from '../../insight/cohorts.ts'
import { breakDown, explore, type Question } from '../../insight/explore.ts'
import { oneAtATimeFor } from '../../kit/one-at-a-time.ts'
import type { DashboardHandlers } from '../call.ts'
import { csvCohorts } from './csv-cohorts.ts'
import { csvExploration } from './csv-exploration.ts'

const asked = ({
  campaign_id: campaignId,
  affiliate_id: affiliateId,
  source_value: sourceValue,
  ...question
}: DashboardQuery<'explore'>): Question => ({ ...question, campaignId, affiliateId, sourceValue })

const askedCohorts = ({
  campaign_id: campaignId,
  affiliate_id: affiliateId,
  months,
}: DashboardQuery<'getCohorts'>) => ({
  months,
  campaignId,
  affiliateId,
})

/** A breakdown by affiliate and source may take a second: the same one is read once for all who wait for it. */
const explorationsOf = oneAtATimeFor<Exploration>()

export const exploreDashboard: DashboardHandlers<
  'explore' | 'exportExploration' | 'getCohorts' | 'downloadCohorts'
> = {
  explore: ({ db, accountId, query }) =>
    explorationsOf(db).run(`${accountId} ${JSON.stringify(query)}`, () =>
      explore(db, accountId, asked(query)),
    ),
  exportExploration: async ({ files, accountId, query }) => ({
    name: 'performance.csv',
    // Summed before the first line, so that a range that is none is refused.
    pages: csvExploration(files, accountId, await breakDown(files, accountId, asked(query))),
  }),
  getCohorts: ({ db, accountId, query }) => cohorts(db, accountId, askedCohorts(query)),
  downloadCohorts: async ({ files, accountId, query }) => ({
    name: 'cohorts.csv',
    pages: csvCohorts(await cohorts(files, accountId, askedCohorts(query))),
  }),
}
