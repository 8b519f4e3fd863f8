import { deliveries } from './deliver.js'
import { requests } from './side-by-side.js'

/** Every benchmark by its name: what the ratio of the service to its yardstick should at least, or at most, be. */
export const benchmarks = {
  get: { goal: 0.85, run: requests('get') },
  list: { goal: 0.85, run: requests('list', { commissions: 1_000_000 }) },
  enrol: { goal: 0.7, run: requests('enrol') },
  sale: { goal: 0.6, run: requests('sale') },
  click: { goal: 0.5, run: requests('click') },
  deliver: { goal: 0.6, run: deliveries },
}
