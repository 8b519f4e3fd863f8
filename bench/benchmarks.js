import { deliveries } from './deliver.js'
import { flat } from './flat.js'
import { memory } from './memory.js'
import { payout } from './payout.js'
import { processes } from './processes.js'
import { requests, withSilentReceiver } from './side-by-side.js'
import { start } from './start.js'

/** Every benchmark by name, with the minimum or maximum ratio of the service to its baseline. */
export const benchmarks = {
  get: { atLeast: 0.85, run: requests('get') },
  list: { atLeast: 0.85, run: requests('list', { commissions: 1_000_000 }) },
  enrol: { atLeast: 0.7, run: requests('enrol') },
  sale: { atLeast: 0.6, run: requests('sale', { beside: withSilentReceiver }) },
  click: { atLeast: 0.5, run: requests('click') },
  deliver: { atLeast: 0.6, run: deliveries },
  payout: { atMost: 4, run: payout },
  flat: { atMost: 1.3, run: flat },
  memory: { atMost: 1.5, run: memory },
  start: { atMost: 3, run: start },
  processes: { run: processes },
}
