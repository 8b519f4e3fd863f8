/**
 * ISO 4217 currencies whose minor unit is not a hundredth, by their number of decimals. JavaScript's locale data can't be used: it
 * has the decimals customary in writing (none for HUF), which differ from the minor unit.
 */
const unusual = new Map(
  Object.entries({
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
  }).flatMap(([decimals, codes]) => codes.split(' ').map(code => [code, Number(decimals)] as const)),
)

/** All others. Kept apart, so that the browser bundle includes only the list above. */
const usual = `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP
  COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES
  KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD
  PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD
  TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`

/** Every currency that money can be paid in. */
export const currencyCodes = () => [...unusual.keys(), ...usual.split(/\s+/)]

/** How many decimals a currency has: 2 for USD, 0 for JPY, 3 for KWD. Defaults to 2 while a code is still being typed. */
export const decimalsOf = (currency: string) => unusual.get(currency) ?? 2

/** Minor units as a decimal string of major units: 1234 cents are "12.34". */
export function plainAmount(amountMinor: number, currency: string): string {
  const decimals = decimalsOf(currency)
  const digits = String(Math.abs(amountMinor)).padStart(decimals + 1, '0')
  const sign = amountMinor < 0 ? '-' : ''
  if (decimals === 0) return `${sign}${digits}`
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Parses an amount as typed into minor units. Undefined when it is invalid or beyond the safe integers. */
export function parseMoney(text: string, currency: string): number | undefined {
  const decimals = decimalsOf(currency)
  const parts = /^(-?)(\d{1,13})(?:[.,](\d+))?$/.exec(text.trim())
  if (!parts || (parts[3]?.length ?? 0) > decimals) return undefined
  const minor = Number(`${parts[2]}${(parts[3] ?? '').padEnd(decimals, '0')}`)
  if (!Number.isSafeInteger(minor)) return undefined
  // Subtracted from 0, so that the result is never -0.
  return parts[1] ? 0 - minor : minor
}
