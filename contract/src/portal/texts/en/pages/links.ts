import { clicks, conversions } from '../units.ts'

export const links = {
  title: 'Links',
  text: 'Share them anywhere. Customers who buy after clicking one are credited to you.',
  copy: 'Copy link',
  copyCoupon: 'Copy code',
  share: 'Share',
  shareOf: (campaign: string) => `Share your ${campaign} link`,
  shareText: (company: string) => `Take a look at ${company}`,
  shareBy: { email: 'Email', whatsapp: 'WhatsApp', x: 'X', facebook: 'Facebook', linkedin: 'LinkedIn' },
  counts: (clicked: number, converted: number, days: number) =>
    `${clicks(clicked)} and ${conversions(converted)} in the last ${days} days`,
  all: 'All links',
  qr: 'QR code',
  qrOf: (campaign: string) => `QR code of your ${campaign} link`,
  saveQr: 'Download QR code',
  deep: 'Deep link',
  deepLabel: 'Page URL',
  deepText: (site: string) => `Paste the URL of any page on ${site} to get a link to it.`,
  notOnSite: (site: string) => `Enter the URL of a page on ${site}.`,
  paused: "Paused: new customers aren't credited right now. You keep earning from existing customers.",
  noDestination: 'This campaign has no destination page yet. Contact the company.',
  coupon: 'Your coupon code',
  couponText:
    "Sales with your code are credited to you, even if the customer clicked another affiliate's link.",
  more: 'More campaigns',
  none: "You haven't joined a campaign yet",
} as const

export const campaigns = {
  title: 'Campaigns',
  text: 'All campaigns you can promote.',
  joined: 'Joined',
  paused: 'Joined · Paused',
  byInvitation: 'By invitation',
  join: 'Join',
  none: 'No open campaigns',
} as const
