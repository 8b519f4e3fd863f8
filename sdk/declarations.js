// Bundles the package's index.d.ts: the contract's types as plain interfaces, printed from its schemas, followed by the declarations
// of the SDK's own modules. Users of the package need neither the contract nor its tools.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isolatedDeclarationSync } from 'rolldown/experimental'

const typeNames = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }

const indent = text => text.replaceAll('\n', '\n  ')
const comment = ({ description }) => (description ? `/** ${description} */\n` : '')

/** A JSON schema as a TypeScript type; named schemas are referenced. */
function printType(schema, nameOf = () => undefined) {
  const name = nameOf(schema)
  if (name) return name
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.anyOf) return schema.anyOf.map(part => printType(part, nameOf)).join(' | ')
  const types = [schema.type].flat()
  return types.map(type => printOneType(type, schema, nameOf)).join(' | ')
}

function printOneType(type, schema, nameOf) {
  if (type === 'object') return printObject(schema, nameOf)
  if (type === 'array') {
    const item = printType(schema.items, nameOf)
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`
  }
  if (type === 'string' && schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if (type in typeNames) return typeNames[type]
  throw new Error(`Cannot print a TypeScript type for the schema ${JSON.stringify(schema)}.`)
}

function printObject({ properties, required = [] }, nameOf) {
  const fields = Object.entries(properties).map(([field, schema]) => {
    const optional = required.includes(field) ? '' : '?'
    return `\n${comment(schema)}${field}${optional}: ${printType(schema, nameOf)};`
  })
  return `{${indent(fields.join(''))}\n}`
}

/** The named schemas as declarations that reference each other. */
function printDeclarations(schemas) {
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [schema, name]))
  return Object.entries(schemas).map(([name, schema]) => {
    const printed = printType(schema, part => (part === schema ? undefined : names.get(part)))
    const isInterface = schema.type === 'object'
    return `${comment(schema)}${isInterface ? `interface ${name} ${printed}` : `type ${name} = ${printed};`}\n`
  })
}

const imports = /^(?:import|export) (?:type )?\{([^}]*)\} from "([^"]+)";\n/gm

/** The modules that the public types depend on, in dependency order. */
function readModules(entry, found = new Map()) {
  const { code, errors } = isolatedDeclarationSync(entry, readFileSync(entry, 'utf8'))
  if (errors.length > 0) throw new Error(`${entry}: ${errors.map(({ message }) => message).join(' ')}`)
  for (const [, , from] of code.matchAll(imports)) {
    const file = join(dirname(entry), from)
    if (from.startsWith('.') && !found.has(file)) readModules(file, found)
  }
  return found.set(entry, code)
}

/** `entry` exports everything public by name; names from `@tributary/contract` are looked up in `contract`. */
export function bundleDeclarations(entry, contract) {
  const modules = readModules(entry)
  const exported = [...modules.get(entry).matchAll(/^export (type )?\{([^}]*)\} from "([^"]+)";$/gm)].flatMap(
    ([, type = '', names, from]) =>
      names.split(',').map(name => ({ name: name.trim(), text: `${type}${name.trim()}`, from })),
  )
  const schemas = exported
    .filter(({ from }) => from === '@tributary/contract')
    .map(({ name }) => {
      if (!contract[name]) throw new Error(`The contract has no schema for the type ${name}.`)
      return [name, contract[name]]
    })
  modules.delete(entry)
  const own = [...modules.values()].map(code =>
    code
      .replace(imports, '')
      // Emitted for modules with private declarations; here all of them become one module.
      .replace(/^export \{\};\n?/gm, '')
      .replace(/^export (declare )?/gm, '$1'),
  )
  const list = exported.map(({ text }) => `  ${text},\n`).join('')
  // With an export list, only the listed names can be imported.
  return [...printDeclarations(Object.fromEntries(schemas)), ...own, `export {\n${list}};\n`].join('\n')
}
