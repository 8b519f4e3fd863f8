import { addCreative } from '../../programme/creatives/add-creative.ts'
import { drawBanner } from './draw-banner.ts'
import { byPerson, type Story } from './story.ts'

/** A banner, a text and a link for a bio: what affiliates of the demo promote with. */
export async function addCreatives(story: Story): Promise<void> {
  const at = story.calendar.at(0, 0)
  const creatives = [
    { kind: 'text', name: 'Link for a bio', text: 'Accounting that closes itself: {link}' },
    {
      kind: 'text',
      name: 'Newsletter paragraph',
      text: 'I do my books with Meridian: it reads the receipts, matches the payments and files the VAT return.\n\nThe first month is free with my link: {link}',
    },
    { kind: 'banner', name: 'Leaderboard', file: drawBanner(728, 90).toString('base64') },
  ] as const
  for (const creative of creatives) {
    const { kind, name } = creative
    await byPerson(story, 'admin', at, { action: 'creative.create', details: { kind, name } }, tx =>
      addCreative(tx, story.accountId, creative),
    )
  }
}
