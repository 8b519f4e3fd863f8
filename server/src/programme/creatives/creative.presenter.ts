import type { BinaryFile, Creative } from '@tributary/contract/dashboard'
import type { CreativeRow, StoredFile } from './creative.store.ts'

export function presentCreative(row: CreativeRow): Creative {
  const { file_type: type, file_version: version, file_length: bytes, width, height, ...creative } = row
  return {
    ...creative,
    file:
      type === null || version === null || bytes === null ? null : { type, bytes, version, width, height },
  }
}

const extensions = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
} as const

/** A name that is safe in a header and on every file system; the extension is that of the content. */
export function fileName({ name, file_type: type }: Pick<StoredFile, 'name' | 'file_type'>): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return `${plain.toLowerCase() || 'creative'}.${extensions[type]}`
}

/** The file as a download, streamed at the reader's pace. */
export const creativeDownload = (stored: StoredFile): BinaryFile => ({
  name: fileName(stored),
  type: stored.file_type,
  bytes: (async function* () {
    yield stored.file
  })(),
  isAttachment: true,
})
