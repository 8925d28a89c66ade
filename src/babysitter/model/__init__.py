"""The words: frozen values that every room shares. Arithmetic only, nothing imported from us."""
