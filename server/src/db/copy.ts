import type { Duplex } from 'node:stream'

/** The part of pg's connection that COPY needs and that its types leave out. */
export interface CopyConnection {
  readonly stream: Duplex
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/** `COPY 1234`, as the server says at the end. */
export const copiedRows = ({ text }: { text: string }): number => Number(text.replace(/^COPY /, ''))
