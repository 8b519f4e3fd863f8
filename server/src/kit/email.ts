/** The normalized form of an address, for comparison. Not done by the database, whose locale may vary. */
export const emailKey = (email: string) => email.normalize('NFC').toLowerCase()
