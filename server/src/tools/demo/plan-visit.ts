import type { CampaignName } from './campaign-name.ts'
import type { Random } from './random.ts'

/** Where a visitor comes from, with what, and which page they see first. */
export interface PlannedVisit {
  userAgent: string
  referrer: string | null
  landingUrl: string
  /** Null where no database of addresses knows it. */
  country: string | null
}

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
]
const BOT = 'Mozilla/5.0 (compatible; ExampleBot/1.0; +https://bot.example/about)'

/** What a referrer usually adds to its links. */
const sources: { referrer: string | null; parameters: string }[] = [
  { referrer: 'https://blog.example/', parameters: 'utm_source=blog&utm_medium=article' },
  { referrer: 'https://blog.example/', parameters: 'sub_id=review' },
  { referrer: 'https://videos.example/watch', parameters: 'utm_source=videos&utm_medium=social' },
  { referrer: 'https://videos.example/watch', parameters: 'sub_id=description' },
  {
    referrer: 'https://news.example/letter',
    parameters: 'utm_source=newsletter&utm_medium=email&utm_campaign=weekly',
  },
  { referrer: null, parameters: '' },
  { referrer: null, parameters: '' },
]

const pages: Record<CampaignName, string[]> = {
  affiliates: ['', '', 'pricing', 'features', 'compare'],
  agencies: ['partners', 'partners', 'partners/pricing'],
  friends: ['welcome'],
}

const countries: [code: string | null, weight: number][] = [
  ['US', 36],
  ['GB', 12],
  ['DE', 11],
  ['CA', 7],
  ['FR', 6],
  ['NL', 5],
  ['AU', 5],
  ['IN', 4],
  ['ES', 3],
  ['BR', 3],
  ['SE', 2],
  ['PL', 2],
  ['JP', 2],
  [null, 2],
]

export function planVisit(random: Random, campaign: CampaignName): PlannedVisit {
  const { referrer, parameters } = random.pick(sources)
  const page = `https://meridian.example/${random.pick(pages[campaign])}`
  return {
    userAgent: random.pick(BROWSERS),
    referrer,
    landingUrl: parameters === '' ? page : `${page}?${parameters}`,
    country: random.weighted(countries, ([, weight]) => weight)[0],
  }
}

/** The same page, read by a crawler. */
export const crawled = ({ landingUrl }: PlannedVisit): PlannedVisit => ({
  userAgent: BOT,
  referrer: null,
  landingUrl: landingUrl.replace(/\?.*/, ''),
  country: 'US',
})
