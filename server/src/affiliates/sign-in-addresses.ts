export { hasSignedInFrom, noteSignInAddress } from './affiliate.store.ts'
