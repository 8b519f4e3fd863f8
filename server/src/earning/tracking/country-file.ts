import { isIP } from 'node:net'
import type { CountryResponse, Reader } from 'maxmind'
import { canonicalAddress } from '../../kit/address.ts'

/** A file in MaxMind's format, as GeoLite2 and DB-IP publish it. */
export class CountryFile {
  readonly #reader: Reader<CountryResponse>

  private constructor(reader: Reader<CountryResponse>) {
    this.#reader = reader
  }

  /** Throws if the bytes are no such file. The reader is loaded only by those who have one. */
  static async from(bytes: Buffer): Promise<CountryFile> {
    const { Reader } = await import('maxmind')
    try {
      // What a country's record says is decoded once: there are few, and clicks are many.
      return new CountryFile(new Reader<CountryResponse>(bytes, { cache: new Map() }))
    } catch (error) {
      throw new Error(`is not a country database in MMDB format: ${(error as Error).message}`)
    }
  }

  /** The two-letter code of an address's country; null if the file doesn't have it. Throws if the file is damaged. */
  countryOf(address: string): string | null {
    const plain = canonicalAddress(address)
    const found = isIP(plain) === 0 ? null : this.#reader.get(plain)
    const code = (found?.country ?? found?.registered_country)?.iso_code
    return typeof code === 'string' && /^[A-Z]{2}$/.test(code) ? code : null
  }
}
