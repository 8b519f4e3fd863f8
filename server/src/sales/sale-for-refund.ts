export { lockSale as saleForRefund } from './sale.store.ts'
