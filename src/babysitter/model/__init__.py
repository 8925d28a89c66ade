"""The words: frozen values that every room shares. No behaviour beyond arithmetic, nothing imported from us."""
