import type { Random } from './random.ts'

const FIRST_NAMES =
  'Amara Anders Aiko Bruno Camila Chiara Daniel Diego Elena Emeka Eva Farah Felix Freya Gabriel Grace Hana Hugo Ines Isaac Ivan Jana Jonah Julia Kai Karim Kofi Lara Leo Lina Lucas Magnus Marta Mateo Mei Milan Mina Nadia Nils Nora Olga Omar Oscar Paula Petra Rafael Ravi Rosa Ruben Sana Sofia Stefan Tara Theo Tomas Uma Victor Wei Yara Yusuf Zoe'.split(
    ' ',
  )
const LAST_NAMES =
  'Abe Adeyemi Almeida Andersson Bauer Becker Bianchi Blanc Castillo Chen Costa Dubois Eriksen Fischer Fontaine Garcia Haas Hansen Hoffmann Ibrahim Ito Jansen Kaur Keller Kim Kowalski Larsen Lefevre Lindqvist Lopez Mahmoud Marino Meyer Moreau Mwangi Nair Novak Nowak Okafor Olsen Park Patel Pereira Petrov Quinn Ramos Rossi Sato Schmidt Silva Singh Sorensen Suzuki Tanaka Torres Vargas Varga Weber Wolf Yilmaz Zhang'.split(
    ' ',
  )
const STUDIO_NAMES =
  'Anchor Beacon Birch Cobalt Compass Copper Delta Ember Fjord Granite Harbor Indigo Juniper Kestrel Lantern Maple Northwind Orchard Pebble Quartz Ridge Saffron Tidal Umber Vesper Willow'.split(
    ' ',
  )
const STUDIO_KINDS = ['Agency', 'Consulting', 'Digital', 'Labs', 'Media', 'Partners', 'Studio', 'Works']

/** Occupations of affiliates. */
export const TAGS = [
  'blog',
  'youtube',
  'newsletter',
  'podcast',
  'comparison site',
  'course',
  'community',
  'vip',
]

const slugOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

export interface Person {
  name: string
  email: string
  /** The token in their links. */
  token: string
}

/** The address of a customer, by their number. */
export function customerEmail(number: number): string {
  const first = FIRST_NAMES[number % FIRST_NAMES.length]
  const last = LAST_NAMES[(number * 7) % LAST_NAMES.length]
  return `${first}.${last}.${number}@customers.example`.toLowerCase()
}

/** Generates unique people and companies. All addresses are at example.com, which is reserved. */
export class People {
  readonly #random: Random
  readonly #taken = new Set<string>()

  constructor(random: Random) {
    this.#random = random
  }

  person(): Person {
    return this.#unique(() => `${this.#random.pick(FIRST_NAMES)} ${this.#random.pick(LAST_NAMES)}`)
  }

  firm(): Person {
    return this.#unique(() => `${this.#random.pick(STUDIO_NAMES)} ${this.#random.pick(STUDIO_KINDS)}`)
  }

  #unique(make: () => string): Person {
    let name = make()
    // A middle initial makes enough names for any scale.
    for (let tries = 1; this.#taken.has(name); tries++)
      name =
        tries < 5 ? make() : make().replace(' ', ` ${String.fromCharCode(65 + this.#random.whole(0, 25))}. `)
    this.#taken.add(name)
    const token = slugOf(name)
    return { name, token, email: `${token.replaceAll('-', '.')}@example.com` }
  }
}
