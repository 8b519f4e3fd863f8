import { useEffect } from 'react'

/**
 * Gives the focus back to what had it before, once this part of the page is gone. For dialogs that are there only while they are
 * open: whoever uses the keyboard goes on where they were.
 */
export function useReturnsFocus(): void {
  useEffect(() => {
    const before = document.activeElement
    return () => {
      // After the dialog's own trap has let go of the focus.
      setTimeout(() => before instanceof HTMLElement && before.focus({ preventScroll: true }), 0)
    }
  }, [])
}
