import type { ImportReport } from '@tributary/contract/dashboard'

const cell = (text: string | number) => `"${String(text).replaceAll('"', '""')}"`

/** The refused lines of an import, with the reasons. */
export function refusedAsCsv(refused: ImportReport['refused']): string {
  const lines = refused.map(({ line, email, reason }) => [line, email, reason].map(cell).join(','))
  return ['line,email,reason', ...lines, ''].join('\r\n')
}
