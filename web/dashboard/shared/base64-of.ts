import { texts } from './en.ts'

/** A file as base64, without the prefix of a data URL. */
export const base64Of = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '')
    reader.onerror = () => reject(new Error(texts.states.unreadable))
    reader.readAsDataURL(file)
  })
