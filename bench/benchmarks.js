import { connects } from './connect.js'
import { conversions } from './conversion.js'
import { deliveries } from './deliver.js'
import { flat } from './flat.js'
import { insight } from './insight.js'
import { memory } from './memory.js'
import { payout } from './payout.js'
import { processes } from './processes.js'
import { requests, withSilentReceiver } from './side-by-side.js'
import { start } from './start.js'
import { writes } from './writes.js'

/**
 * Every benchmark by name, with the minimum or maximum ratio of the service to its baseline, the maximum processor time of a
 * request, the service's and PostgreSQL's together, and the maximum time that it takes. The parts of a benchmark may have their own.
 */
export const benchmarks = {
  get: { atLeast: 1, run: requests('get') },
  list: { atLeast: 1, run: requests('list', { size: { commissions: 1_000_000 } }) },
  enrol: { atLeast: 0.95, run: requests('enrol') },
  sale: { atLeast: 0.75, run: requests('sale', { beside: withSilentReceiver }) },
  conversion: { atLeast: 0.6, cpuAtMostMs: 4, run: conversions },
  click: { atLeast: 0.6, run: requests('click') },
  'click-many': { atLeast: 0.4, run: requests('click-many') },
  connect: { run: connects },
  deliver: { atLeast: 0.75, run: deliveries },
  payout: { run: payout },
  flat: { atMost: 1.3, run: flat },
  insight: { atMost: 1.5, msAtMost: 100, run: insight },
  memory: { atMost: 1.5, run: memory },
  start: { atMost: 3, run: start },
  processes: { run: processes },
  writes: { run: writes },
}
