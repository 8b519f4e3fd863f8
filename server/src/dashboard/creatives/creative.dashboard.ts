import { notFound } from '../../kit/domain-error.ts'
import { addCreative } from '../../programme/creatives/add-creative.ts'
import { changeCreative } from '../../programme/creatives/change-creative.ts'
import { creativeDownload, presentCreative } from '../../programme/creatives/creative.presenter.ts'
import {
  deleteCreative,
  findCreativeFile,
  listCreatives,
  orderCreatives,
} from '../../programme/creatives/creative.store.ts'
import type { DashboardHandlers } from '../call.ts'

export const creativeDashboard: DashboardHandlers<
  | 'listCreatives'
  | 'createCreative'
  | 'updateCreative'
  | 'orderCreatives'
  | 'deleteCreative'
  | 'getCreativeFile'
> = {
  listCreatives: async ({ db, accountId }) => ({
    data: (await listCreatives(db, accountId)).map(presentCreative),
  }),
  createCreative: async ({ db, accountId, body, note }) => {
    const creative = presentCreative(await addCreative(db, accountId, body))
    // The audit log, which nothing is deleted from, does without the file.
    if (creative.file) note({ file: `${creative.file.type}, ${creative.file.bytes} bytes` })
    return creative
  },
  updateCreative: async ({ db, accountId, id, body, note }) => {
    const { before, creative } = await changeCreative(db, accountId, id, body)
    note({
      before: {
        ...(body.name !== undefined && { name: before.name }),
        ...(body.text !== undefined && { text: before.text }),
      },
    })
    return presentCreative(creative)
  },
  orderCreatives: ({ db, accountId, body }) =>
    db.transaction(async tx => {
      await orderCreatives(tx, accountId, body.ids)
      return {}
    }),
  deleteCreative: ({ db, accountId, id, note }) =>
    db.transaction(async tx => {
      const deleted = await deleteCreative(tx, accountId, id)
      if (!deleted) throw notFound('creative')
      note(deleted)
      return {}
    }),
  getCreativeFile: async ({ files, accountId, id }) => {
    const found = await findCreativeFile(files, accountId, id)
    if (!found) throw notFound('creative')
    return creativeDownload(found)
  },
}
