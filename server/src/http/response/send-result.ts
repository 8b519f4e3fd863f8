import type { CsvFile } from '@tributary/contract/dashboard'
import { withoutHidden } from '@tributary/contract/one-line'
import type { BinaryFile } from '@tributary/contract/portal'
import type { FastifyReply } from 'fastify'
import type { WriteResponse } from './closed-response.ts'
import type { Download } from './downloads.ts'

const has = <T>(result: unknown, field: keyof T & string): result is T =>
  typeof result === 'object' && result !== null && field in result

const isStream = (bytes: BinaryFile['bytes']) => typeof bytes === 'object' && Symbol.asyncIterator in bytes

/** Sends the result of a page's call: a CSV file, an image or document, or JSON. */
export function sendResult(reply: FastifyReply, result: unknown, write: WriteResponse, download?: Download) {
  if (has<CsvFile>(result, 'pages'))
    return reply
      .type('text/csv; charset=utf-8')
      .header('Content-Disposition', `attachment; filename="${result.name}"`)
      .send(download?.paced(result.pages))
  if (has<BinaryFile>(result, 'bytes'))
    return reply
      .type(result.type)
      .header(
        'Content-Disposition',
        `${result.isAttachment ? 'attachment' : 'inline'}; filename="${result.name}"`,
      )
      .send(download && isStream(result.bytes) ? download.paced(result.bytes) : result.bytes)
  // Pages show user-supplied text, and rows stored before validation existed may hold bidirectional control characters.
  return reply.type('application/json; charset=utf-8').send(withoutHidden(write(result)))
}
