import type { ImportReport } from '@tributary/contract/dashboard'

const cell = (text: string | number) => `"${String(text).replaceAll('"', '""')}"`

/** The skipped rows of an import with the reason for each, as CSV. */
export function skippedRowsCsv(refused: ImportReport['refused']): string {
  const lines = refused.map(({ line, email, reason }) => [line, email, reason].map(cell).join(','))
  return ['line,email,reason', ...lines, ''].join('\r\n')
}
