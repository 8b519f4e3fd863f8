import { useEffect } from 'react'

/**
 * Returns the focus to the element that had it before this component mounted. For dialogs that are mounted only while open, so
 * keyboard users continue where they were.
 */
export function useReturnsFocus(): void {
  useEffect(() => {
    const before = document.activeElement
    return () => {
      // After the dialog's focus trap has released it.
      setTimeout(() => before instanceof HTMLElement && before.focus({ preventScroll: true }), 0)
    }
  }, [])
}
