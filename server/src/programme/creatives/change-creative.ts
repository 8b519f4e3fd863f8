import type { UpdateCreative } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { invalid, notFound } from '../../kit/domain-error.ts'
import { type CreativeRow, lockCreative, updateCreative } from './creative.store.ts'

/** Changes the name, or the text of a text. Returns what it replaced too. */
export function changeCreative(
  db: Db,
  accountId: number,
  id: number,
  { name, text }: UpdateCreative,
): Promise<{ before: { name: string; text: string | null }; creative: CreativeRow }> {
  if (name?.trim() === '') throw invalid('name', 'must not be blank')
  return db.transaction(async tx => {
    const before = await lockCreative(tx, accountId, id)
    if (text !== undefined && before?.text === null) throw invalid('text', 'is for texts')
    const changed = { name: name?.trim() ?? null, text: text ?? null }
    const creative = await updateCreative(tx, accountId, id, changed)
    if (!before || !creative) throw notFound('creative')
    return { before, creative }
  })
}
