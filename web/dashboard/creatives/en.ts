import type { Creative } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'

const kinds: Record<Creative['kind'], string> = { banner: 'Banner', text: 'Text', document: 'Document' }

export const texts = {
  title: 'Creatives',
  note: 'Banners, texts and documents that affiliates download or copy in the portal, with their own link filled in.',
  add: 'Add creative',
  kinds,
  kind: 'Type',
  name: 'Name',
  nameHints: {
    banner: 'Also the alternative text of the banner.',
    text: undefined,
    document: undefined,
  },
  campaign: 'Campaign',
  allCampaigns: 'All campaigns',
  text: 'Text',
  textHint: "Write {link} where the affiliate's link goes.",
  textExample: 'Try Meridian, you get 20% off: {link}',
  noLink: 'The text has no {link}, so affiliates have to add their link themselves.',
  file: 'File',
  choose: 'Choose file',
  fileHints: {
    banner: 'PNG, JPEG, GIF or WebP, up to 1 MiB',
    document: 'PDF, PNG, JPEG, GIF or WebP, up to 2 MiB',
  },
  added: 'Creative added',
  edit: 'Edit',
  editOf: (name: string) => `Edit ${name}`,
  editTitle: 'Edit creative',
  save: 'Save creative',
  saved: 'Creative updated',
  fileKept:
    "The file can't be changed, since affiliates may embed or link to it. Add a new creative instead.",
  actionsFor: (name: string) => `Actions for ${name}`,
  earlier: 'Move earlier',
  later: 'Move later',
  download: 'Download',
  delete: 'Delete creative…',
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteConfirm: 'Delete creative',
  deleteNote: "This can't be undone. Sites that embed this banner will show a broken image.",
  deleteNoteOther: "This can't be undone. Affiliates no longer see it.",
  deleted: 'Creative deleted',
  size: (width: number, height: number) => `${width} × ${height}`,
  bytes: (bytes: number) =>
    bytes < 1024 * 1024 ? `${count(Math.ceil(bytes / 1024))} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`,
  empty: {
    title: 'No creatives yet',
    text: 'Add banners, texts and documents for your affiliates. Their own link is filled in.',
  },
}
