// A link from the company's own site opens by itself. Where scripts are off, the button does the same.
document.forms[0].requestSubmit()
