export { explainUnearned, findSalesAwaitingRate as salesAwaitingRate } from './sale.store.ts'
