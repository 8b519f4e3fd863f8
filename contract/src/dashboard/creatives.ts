import { type Static, Type } from 'typebox'
import { Count, closed, Id, nullable, OneLine, oneOf, PlainText, Timestamp } from '../fields.ts'
import { allOf, BinaryFile, change, Done, read } from './schema.ts'

export const creativeKinds = ['banner', 'text', 'document'] as const
export const fileTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'] as const

/** In all; an affiliate finds nothing among more. */
export const MOST_CREATIVES = 100
/** Other sites embed banners, which load with their pages. */
export const LARGEST_BANNER_BYTES = 1024 * 1024
export const LARGEST_DOCUMENT_BYTES = 2 * 1024 * 1024

export const CreativeFile = closed({
  type: oneOf(fileTypes),
  bytes: Count,
  /** Changes with the content. */
  version: Type.String(),
  /** In pixels; null for a PDF. */
  width: nullable(Count),
  height: nullable(Count),
})
export type CreativeFile = Static<typeof CreativeFile>

/** Something that affiliates promote with. A text has `text`, in which `{link}` is their own link; the others have a file. */
export const Creative = closed({
  id: Id,
  kind: oneOf(creativeKinds),
  name: Type.String(),
  /** Null if it is for the affiliates of every campaign. */
  campaign_id: nullable(Id),
  campaign_name: nullable(Type.String()),
  text: nullable(Type.String()),
  file: nullable(CreativeFile),
  created_at: Timestamp,
})
export type Creative = Static<typeof Creative>

/** The largest document in base64, which is a third longer. */
const LONGEST_FILE_TEXT = Math.ceil(LARGEST_DOCUMENT_BYTES / 3) * 4

export const creativesSchemas = {
  listCreatives: read(allOf(Creative)),
  createCreative: change(
    closed({
      kind: oneOf(creativeKinds),
      name: OneLine(100),
      campaign_id: Type.Optional(nullable(Id)),
      text: Type.Optional(PlainText(5000)),
      /** The file's content in base64. */
      file: Type.Optional(
        Type.String({ minLength: 1, maxLength: LONGEST_FILE_TEXT, pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
      ),
    }),
    Creative,
  ),
  /** Its file can't be changed: sites embed a banner under an address that stands for its content. */
  updateCreative: change(
    closed({ name: Type.Optional(OneLine(100)), text: Type.Optional(PlainText(5000)) }),
    Creative,
  ),
  /** The first is shown first. Creatives that are not listed keep their place. */
  orderCreatives: change(
    closed({ ids: Type.Array(Id, { minItems: 1, maxItems: MOST_CREATIVES, uniqueItems: true }) }),
    Done,
  ),
  deleteCreative: change(closed({}), Done),
  getCreativeFile: read(BinaryFile),
}
export type UpdateCreative = Static<typeof creativesSchemas.updateCreative.body>
export type CreateCreative = Static<typeof creativesSchemas.createCreative.body>
