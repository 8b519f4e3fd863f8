export { findSalesAwaitingRate as salesAwaitingRate } from './sale.store.ts'
