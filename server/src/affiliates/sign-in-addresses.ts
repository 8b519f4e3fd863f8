export { hasSignedInFrom } from './affiliate.store.ts'
