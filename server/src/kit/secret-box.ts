import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * The purpose of a sealed text, which opens only for its purpose and account. The names are part of the key derivation: renaming one
 * makes stored secrets unreadable.
 */
export type Purpose =
  | 'webhook secret'
  | 'idempotent answer'
  | 'visitor address'
  | 'rail credentials'
  | 'backup'
  | 'known browser'
  | 'join link'
  | 'mail server'
  | 'connector secret'
  | 'connector key'
  | 'lead email'
  | 'unsubscribe link'

/** Encrypts secrets (AES-256-GCM), with a separate key for each purpose. */
export class SecretBox {
  readonly #masterKey: string
  readonly #keys = new Map<Purpose, Buffer>()

  constructor(masterKey: string) {
    this.#masterKey = masterKey
  }

  seal(purpose: Purpose, accountId: number, text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.key(purpose), nonce).setAAD(bind(purpose, accountId))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed])
  }

  open(purpose: Purpose, accountId: number, box: Buffer): string {
    if (box[0] !== VERSION) throw new Error(`Sealed text has unknown version ${box[0]}.`)
    const nonce = box.subarray(1, 1 + NONCE_BYTES)
    const tag = box.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', this.key(purpose), nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(bind(purpose, accountId)).setAuthTag(tag)
    return (
      decipher.update(box.subarray(1 + NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    )
  }

  /** A value to compare keys by, which reveals nothing about the key. */
  check(): Buffer {
    return createHmac('sha256', this.#masterKey).update('tributary secret key check').digest()
  }

  /** The key of a purpose, for values that are hashed instead of sealed. */
  key(purpose: Purpose): Buffer {
    const known = this.#keys.get(purpose)
    if (known) return known
    const key = Buffer.from(hkdfSync('sha256', this.#masterKey, 'tributary', purpose, 32))
    this.#keys.set(purpose, key)
    return key
  }
}

const bind = (purpose: Purpose, accountId: number) => Buffer.from(`${purpose}:${accountId}`)
