/** An external ID for a sale or refund that a person records. Random, so that it collides with none that was reported. */
export const manualId = (kind: 'sale' | 'refund') =>
  `manual-${kind}-${[...crypto.getRandomValues(new Uint8Array(8))].map(byte => byte.toString(36).padStart(2, '0')).join('')}`
