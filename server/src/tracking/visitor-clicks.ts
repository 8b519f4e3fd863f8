export { type ClickRow, findClicksOfVisitor as clicksOfVisitor } from './click.store.ts'
