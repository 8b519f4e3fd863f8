/** What two spellings of one address have in common. Done here and not by the database, whose locale may vary. */
export const emailKey = (email: string) => email.normalize('NFC').toLowerCase()
