// Links from the company's own site sign in automatically. Without scripts, the button does the same.
document.forms[0].requestSubmit()
