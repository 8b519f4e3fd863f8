export { lockSale as saleForRefund, refundedSoFar } from './sale.store.ts'
