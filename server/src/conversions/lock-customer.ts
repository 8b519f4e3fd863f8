export { lockCustomer } from './conversion.store.ts'
