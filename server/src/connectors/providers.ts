import type { BillingProvider } from './provider.ts'

/** The providers that can be connected, by name. A provider loads on first use: most installations have one or none. */
const loaders: Record<string, () => Promise<BillingProvider>> = {
  stripe: async () => (await import('./stripe/stripe.ts')).stripeProvider,
  paddle: async () => (await import('./paddle/paddle.ts')).paddleProvider,
  lemonsqueezy: async () => (await import('./lemonsqueezy/lemonsqueezy.ts')).lemonSqueezyProvider,
  shopify: async () => (await import('./shopify/shopify.ts')).shopifyProvider,
  woocommerce: async () => (await import('./woocommerce/woocommerce.ts')).wooCommerceProvider,
  custom: async () => (await import('./custom/custom.ts')).customProvider,
}

export const providerNames = Object.keys(loaders)

export async function providerOf(name: string): Promise<BillingProvider | undefined> {
  return Object.hasOwn(loaders, name) ? loaders[name]?.() : undefined
}
