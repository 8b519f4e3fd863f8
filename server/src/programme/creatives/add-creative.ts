import { createHash } from 'node:crypto'
import {
  type CreateCreative,
  LARGEST_BANNER_BYTES,
  LARGEST_DOCUMENT_BYTES,
  MOST_CREATIVES,
} from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { conflict, invalid } from '../../kit/domain-error.ts'
import { fileType } from '../../kit/file-type.ts'
import { pictureSize } from '../../kit/picture-size.ts'
import { lockAccount } from '../accounts/account.store.ts'
import { findTerms } from '../campaigns/campaign.store.ts'
import { type CreativeRow, countCreatives, insertCreative, type NewCreative } from './creative.store.ts'

const MIB = 1024 * 1024

/** The file by what it contains: a banner is a picture that other sites can embed, a document may be a PDF too. */
function fileFrom(kind: 'banner' | 'document', base64: string): NewCreative['file'] {
  const bytes = Buffer.from(base64, 'base64')
  const largest = kind === 'banner' ? LARGEST_BANNER_BYTES : LARGEST_DOCUMENT_BYTES
  if (bytes.length > largest) throw invalid('file', `must be at most ${largest / MIB} MiB`)
  const type = fileType(bytes)
  const size = type && pictureSize(bytes, type)
  const isComplete = type === 'application/pdf' ? kind === 'document' : size !== undefined
  if (!type || !isComplete)
    throw invalid(
      'file',
      kind === 'banner'
        ? 'must be a PNG, JPEG, GIF or WebP file'
        : 'must be a PDF, PNG, JPEG, GIF or WebP file',
    )
  const version = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  return { bytes, type, version, width: size?.width ?? null, height: size?.height ?? null }
}

function contentOf({ kind, text, file }: CreateCreative): Pick<NewCreative, 'text' | 'file'> {
  if (kind === 'text') {
    if (text === undefined) throw invalid('text', 'is required')
    if (file !== undefined) throw invalid('file', 'is for banners and documents')
    return { text, file: null }
  }
  if (file === undefined) throw invalid('file', 'is required')
  if (text !== undefined) throw invalid('text', 'is for texts')
  return { text: null, file: fileFrom(kind, file) }
}

/** Adds a creative. The account's lock makes two at once count each other, so that the limit holds. */
export function addCreative(db: Db, accountId: number, wanted: CreateCreative): Promise<CreativeRow> {
  const content = contentOf(wanted)
  const { kind, campaign_id: campaignId = null } = wanted
  const name = wanted.name.trim()
  if (name === '') throw invalid('name', 'must not be blank')
  return db.transaction(async tx => {
    await lockAccount(tx, accountId)
    if ((await countCreatives(tx, accountId)) >= MOST_CREATIVES)
      throw conflict(`You have ${MOST_CREATIVES} creatives, which is the limit. Delete one first.`)
    if (campaignId !== null && !(await findTerms(tx, accountId, campaignId)))
      throw invalid('campaign_id', 'is not a campaign of this account')
    return (await insertCreative(tx, accountId, {
      kind,
      name,
      campaignId,
      ...content,
    })) as CreativeRow
  })
}
