/** An ID for what a person records: one for as long as a dialog is open. Random, so that it collides with none that was reported. */
export const manualId = (kind: 'sale' | 'refund' | 'adjustment') =>
  `manual-${kind}-${[...crypto.getRandomValues(new Uint8Array(8))].map(byte => byte.toString(36).padStart(2, '0')).join('')}`
