// A conversion with its sale: half of the new customers name an affiliate's token, the other half a click.
import { withOwner } from './service.js'
import { requests, withSilentReceiver } from './side-by-side.js'

/** Every affiliate has earned before, as in a running programme: the first commission would also send an email. */
const size = { commissions: 50_000, clicks: 500_000, varied: false }

/** An unattributed conversion would do much less. */
async function assertCredited(dataDir) {
  const { rows } = await withOwner(dataDir, owner =>
    owner.query(
      'SELECT count(*) FILTER (WHERE referral_id IS NULL OR sale_id IS NULL) AS wrong FROM conversions',
    ),
  )
  if (rows[0].wrong !== '0')
    throw new Error(`${rows[0].wrong} conversions were not credited or have no sale.`)
}

export const conversions = requests('conversion', {
  size,
  beside: (service, work) =>
    withSilentReceiver(service, async () => {
      const result = await work()
      await assertCredited(service.dataDir)
      return result
    }),
})
