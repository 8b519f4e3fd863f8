const currencies = new Set(Intl.supportedValuesOf('currency'))

export const isCurrency = (code: string) => currencies.has(code)
